import { startPage } from "./page.mjs";
startPage();
