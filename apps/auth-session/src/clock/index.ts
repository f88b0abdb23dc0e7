export * from './clock.module';
