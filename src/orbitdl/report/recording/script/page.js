// The start of everything.
applyTheme();
drawWaveforms();
startStrip();
drawTimelines();
drawLearning();
paintSwatches();
listenToTheme();
