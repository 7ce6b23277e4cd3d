// The start of everything.
applyTheme();
drawWaveforms();
startStrip();
drawTimelines();
drawNoise();
drawLearning();
paintSwatches();
listenToTheme();
