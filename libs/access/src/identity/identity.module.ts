import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { MutualTls } from '@paycode/service-runtime';
import { Client } from 'undici';
import type { InternalClient } from '../service-token/internal-client';
import { ServiceTokenSigner } from '../service-token/service-token';
import type { ServiceName } from '../service-token/token-keys';
import { assertionIssuer } from './identity-assertion';
import { IdentityKeys, type JwksSource, type JwkSet } from './identity-keys';
import { IdentityStrategy } from './identity.guard';

/** Where auth-session publishes its keys: `{AUTH_SESSION_URL}/internal/jwks`, a client to auth-session, or (tests) the keys themselves. */
export type IdentityModuleOptions = { jwksUrl: string } | { client: InternalClient } | { jwks: JwksSource };

const jwksPath = '/internal/jwks';
const jwksTimeoutMs = 3_000;
const jwksBytesMax = 65_536;

/** Makes `IdentityGuard` and `@CallerIdentity()` work in every controller of the service. */
@Global()
@Module({})
export class IdentityModule {
  static forRoot(service: ServiceName, options: IdentityModuleOptions): DynamicModule {
    return {
      module: IdentityModule,
      providers: [
        {
          provide: IdentityStrategy,
          inject: [{ token: ServiceTokenSigner, optional: true }],
          useFactory: (signer?: ServiceTokenSigner) => {
            return new IdentityStrategy(new IdentityKeys(sourceOf(options, signer?.mutualTls)), service);
          },
        },
      ],
      exports: [IdentityStrategy],
    };
  }
}

function sourceOf(options: IdentityModuleOptions, mutualTls: MutualTls | undefined): JwksSource {
  if ('jwks' in options) return options.jwks;
  if ('client' in options) return () => options.client.get<JwkSet>(jwksPath);
  return () => fetchJwks(new URL(options.jwksUrl), mutualTls);
}

/** Opens a connection for each fetch, because fetches are minutes apart. */
async function fetchJwks({ origin, pathname }: URL, mutualTls: MutualTls | undefined): Promise<JwkSet> {
  const connect = mutualTls?.connector({ servername: assertionIssuer, timeoutMs: jwksTimeoutMs });
  const client = new Client(origin, { maxResponseSize: jwksBytesMax, ...(connect && { connect }) });
  try {
    const { statusCode, body } = await client.request({
      method: 'GET',
      path: pathname,
      signal: AbortSignal.timeout(jwksTimeoutMs),
    });
    if (statusCode !== 200) throw new Error(`auth-session answered ${statusCode} to the request for identity keys`);
    return (await body.json()) as JwkSet;
  } finally {
    await client.destroy();
  }
}
