// The Node kit names its own modules with `.js`, as Node wants them.
const { moduleNameMapper, ...config } = require('../../jest.preset.cjs').projectConfig(__dirname);

module.exports = { ...config, moduleNameMapper: { ...moduleNameMapper, '^(\\./[a-z-]+)\\.js$': '$1' } };
