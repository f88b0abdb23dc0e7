export * from './dns-server';
export * from './raw-receiver';
export * from './test-authority';
export * from './url-spellings';
export { framingsAfterStatus, framingsBeforeStatus, framingsInHeader, pour, spellingsRefused } from './hostile-framings';
