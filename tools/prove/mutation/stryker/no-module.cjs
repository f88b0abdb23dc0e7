// Stands for what the unit specs that judge mutants leave out (jest.config.cjs).
module.exports = {};
