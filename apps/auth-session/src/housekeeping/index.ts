export * from './housekeeping.module';
