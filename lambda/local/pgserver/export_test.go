package pgserver

// Find is FindBin with a PATH and folders of the test's own.
var Find = find
