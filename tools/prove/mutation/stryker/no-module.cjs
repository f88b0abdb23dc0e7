// Stands for every Nest module in the unit specs that judge mutants (jest.config.cjs).
module.exports = {};
