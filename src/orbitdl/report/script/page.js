// The start of everything.
applyTheme();
byId("how-to-move").textContent = howToMove[moving] + wordsOnSpace;
drawComponents();
if (has("usage")) drawUsage();
if (has("windows")) startBrowser();
if (has("events")) drawEvents();
drawLearning();
paintSwatches();
listenToTheme();
