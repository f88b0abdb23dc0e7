import type { ServiceDefinition } from '@paycode/service-runtime';
import { AppModule } from './app.module';
import { gatewayEnv } from './config/env';

/** The gateway opens its public TLS listener itself; the runtime gives it the internal one (health, metrics). */
export const gatewayDefinition: ServiceDefinition<typeof gatewayEnv.schema> = {
  name: 'api-gateway',
  env: gatewayEnv,
  module: env => AppModule.forRoot(env),
  hasPublicPaths: false,
};
