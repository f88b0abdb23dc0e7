export * from './clock.ports';
export * from './system-clock';
