import { type DynamicModule, Global, Module } from '@nestjs/common';
import axios from 'axios';
import type { InternalClient } from '../service-token/internal-client';
import type { ServiceName } from '../service-token/token-keys';
import { IdentityKeys, type JwksSource, type JwkSet } from './identity-keys';
import { IdentityStrategy } from './identity.strategy';

/** Where auth-session publishes its keys: `{AUTH_SESSION_URL}/internal/jwks`, a client to auth-session, or (tests) the keys themselves. */
export type IdentityModuleOptions = { jwksUrl: string } | { client: InternalClient } | { jwks: JwksSource };

const jwksPath = '/internal/jwks';

/** Makes `IdentityGuard` and `@CallerIdentity()` work in every controller of the service. */
@Global()
@Module({})
export class IdentityModule {
  static forService(service: ServiceName, options: IdentityModuleOptions): DynamicModule {
    return {
      module: IdentityModule,
      providers: [
        { provide: IdentityStrategy, useFactory: () => new IdentityStrategy(new IdentityKeys(sourceOf(options)), service) },
      ],
      exports: [IdentityStrategy],
    };
  }
}

function sourceOf(options: IdentityModuleOptions): JwksSource {
  if ('jwks' in options) return options.jwks;
  if ('client' in options) return () => options.client.get<JwkSet>(jwksPath);
  return async () => {
    const limits = { timeout: 3_000, maxContentLength: 65_536, maxRedirects: 0, proxy: false as const };
    return (await axios.get<JwkSet>(options.jwksUrl, limits)).data;
  };
}
