import { type DynamicModule, Global, Injectable, Module } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { LOGGER, type Logger, MutualTls } from '@paycode/service-runtime';
import type { FastifyInstance } from 'fastify';
import { MerchantTenants, PersonCheck } from '../person/person-demand';
import { type InternalCall, internalCalls, InternalCallTable } from './internal-calls';
import { InternalCallersGuard, ServiceTokenStrategy } from './internal-callers.guard';
import { ServiceTokenSigner } from './service-token';
import { ServiceTokenKeys, type TokenKeyOptions } from './service-token-keys';

/** Stops the start of a service that has an internal route without a row in the table of internal calls. */
@Injectable()
export class InternalRouteCheck {
  constructor({ httpAdapter }: HttpAdapterHost, table: InternalCallTable) {
    // Before any module registers a route.
    httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
      if (!url.startsWith('/internal/')) return;
      const missing = [method].flat().filter(name => !table.rowOf(name, url));
      if (missing.length > 0) throw new Error(`the table of internal calls has no row for ${missing.join(', ')} ${url}`);
    });
  }
}

export interface ServiceTokenOptions extends TokenKeyOptions {
  /** Roles of people are stricter there. */
  isProduction: boolean;
  /** Another table than the platform's, for tests. */
  calls?: readonly InternalCall[];
}

/** Service tokens of one service: signer for its calls, keys and guard for its internal routes. */
@Global()
@Module({})
export class ServiceTokenModule {
  static forRoot(name: string, { calls = internalCalls, isProduction, ...keys }: ServiceTokenOptions): DynamicModule {
    return {
      module: ServiceTokenModule,
      providers: [
        {
          provide: ServiceTokenKeys,
          inject: [LOGGER],
          useFactory: (logger: Logger) => new ServiceTokenKeys(name, keys, keyFileRefusals(logger)),
        },
        {
          provide: ServiceTokenSigner,
          inject: [LOGGER],
          useFactory: (logger: Logger) => {
            const onRefused = keyFileRefusals(logger);
            const mutualTls = MutualTls.ofFiles(keys.mutualTls, onRefused);
            return new ServiceTokenSigner(name, { ...keys, mutualTls, onRefused });
          },
        },
        { provide: InternalCallTable, useFactory: () => new InternalCallTable(name, calls) },
        InternalRouteCheck,
        {
          provide: PersonCheck,
          inject: [ServiceTokenKeys, ModuleRef],
          useFactory: (serviceKeys: ServiceTokenKeys, modules: ModuleRef) =>
            new PersonCheck({
              personOf: text => serviceKeys.personOf(text),
              invitationOf: (text, demand) => serviceKeys.invitationOf(text, demand),
              tenants: () => tenantsIn(modules),
              isProduction,
            }),
        },
        ServiceTokenStrategy,
        InternalCallersGuard,
        { provide: APP_GUARD, useExisting: InternalCallersGuard },
      ],
      exports: [ServiceTokenSigner, InternalCallersGuard],
    };
  }
}

/** A provider of the service's own module, if the service knows to whom merchants belong. */
function tenantsIn(modules: ModuleRef): MerchantTenants | undefined {
  try {
    return modules.get(MerchantTenants, { strict: false });
  } catch {
    return undefined;
  }
}

/** Logs a changed key file that is not usable. Its previous content stays in use until somebody repairs it. */
export function keyFileRefusals(logger: Logger): (error: Error) => void {
  return error =>
    logger.error({ event: 'token-keys-refused', reason: error.message }, 'a key file has changed and is not usable');
}
