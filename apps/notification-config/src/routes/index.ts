export { RouteLease } from './route-lease';
export { RoutesModule } from './routes.module';
