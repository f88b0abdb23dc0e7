export * from './clock.ports';
export * from './system-clock';
export * from './clock.module';
