import { type DynamicModule, Global, Module } from '@nestjs/common';
import { RoutesController } from './http/routes.controller';
import { PostgresRouteStore } from './persistence/postgres-route.store';
import { ReadRoutesService } from './read-routes.service';
import { RouteLease } from './route-lease';
import { RouteStore } from './routes.ports';

@Global()
@Module({})
export class RoutesModule {
  static register({ leaseMs }: { leaseMs: number }): DynamicModule {
    return {
      module: RoutesModule,
      controllers: [RoutesController],
      providers: [
        ReadRoutesService,
        { provide: RouteLease, useFactory: () => new RouteLease(leaseMs) },
        { provide: RouteStore, useClass: PostgresRouteStore },
      ],
      exports: [RouteLease],
    };
  }
}
