package report

// NumberedSQL is a statement whose plan is tested.
const NumberedSQL = numberedSQL
