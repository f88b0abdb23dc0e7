export * from './home-folder';
export * from './home-lock';
export * from './private-file';
export * from './secrets';
