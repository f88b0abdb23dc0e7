import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { LOGGER, type Logger, MutualTls } from '@paycode/service-runtime';
import { type InternalCall, internalCalls, InternalCallTable } from './internal-calls';
import { InternalCallersGuard } from './internal-callers.guard';
import { InternalRouteCheck } from './internal-route-check';
import { ServiceTokenSigner } from './service-token';
import { ServiceTokenKeys, type TokenKeySettings } from './service-token-keys';
import { ServiceTokenStrategy } from './service-token.strategy';

/** Service tokens of one service: signer for its calls, keys and guard for its internal routes. */
@Global()
@Module({})
export class ServiceTokenModule {
  /** `calls`: another table than the platform's, for tests. */
  static forRoot(name: string, settings: TokenKeySettings, calls: readonly InternalCall[] = internalCalls): DynamicModule {
    return {
      module: ServiceTokenModule,
      providers: [
        {
          provide: ServiceTokenKeys,
          inject: [LOGGER],
          useFactory: (logger: Logger) => new ServiceTokenKeys(name, settings, keyFileRefusals(logger)),
        },
        {
          provide: ServiceTokenSigner,
          inject: [LOGGER],
          useFactory: (logger: Logger) => {
            const onRefused = keyFileRefusals(logger);
            const mutualTls = MutualTls.ofEnv(settings.mutualTls, onRefused);
            return new ServiceTokenSigner(name, { ...settings, mutualTls, onRefused });
          },
        },
        { provide: InternalCallTable, useFactory: () => new InternalCallTable(name, calls) },
        InternalRouteCheck,
        ServiceTokenStrategy,
        InternalCallersGuard,
        { provide: APP_GUARD, useExisting: InternalCallersGuard },
      ],
      exports: [ServiceTokenSigner, InternalCallersGuard],
    };
  }
}

/** Logs a changed key file that is not usable. Its previous content stays in use until somebody repairs it. */
export function keyFileRefusals(logger: Logger): (error: Error) => void {
  return error =>
    logger.error({ event: 'token-keys-refused', reason: error.message }, 'a key file has changed and is not usable');
}
