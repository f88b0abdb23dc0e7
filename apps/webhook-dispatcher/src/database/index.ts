export { DatabaseModule, type DatabaseSettings } from './database.module';
