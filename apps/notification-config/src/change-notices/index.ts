export { ChangeNoticesModule } from './change-notices.module';
