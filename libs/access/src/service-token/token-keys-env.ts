import { type BaseEnv, type EnvOf, type internalCallsEnv, type MutualTlsEnv, mutualTlsFilesOf } from '@paycode/service-runtime';
import type { TokenKeyOptions } from './service-token-keys';

type InternalCallsEnv = EnvOf<typeof internalCallsEnv> & MutualTlsEnv & Pick<BaseEnv, 'PAYCODE_ENVIRONMENT'>;

export function tokenKeyOptionsOf(env: InternalCallsEnv): TokenKeyOptions & { isProduction: boolean } {
  return {
    isProduction: env.PAYCODE_ENVIRONMENT === 'production',
    privateKeyFile: env.SERVICE_TOKEN_PRIVATE_KEY_FILE,
    servicePublicKeysFile: env.SERVICE_TOKEN_PUBLIC_KEYS_FILE,
    operatorPublicKeysFile: env.OPERATOR_TOKEN_PUBLIC_KEYS_FILE,
    operatorRevocationsFile: env.OPERATOR_TOKEN_REVOCATIONS_FILE,
    operatorLifetimeMaxS: env.OPERATOR_TOKEN_LIFETIME_MAX_S,
    operatorProvider: operatorProviderOf(env),
    mutualTls: mutualTlsFilesOf(env),
  };
}

/** @throws Error when one of the two settings is missing: operators would be locked out, or let in without an audience */
function operatorProviderOf(env: InternalCallsEnv): TokenKeyOptions['operatorProvider'] {
  const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: clientId } = env;
  if ((issuer === null) !== (clientId === null))
    throw new Error('OPERATOR_OIDC_ISSUER and OPERATOR_OIDC_CLIENT_ID: set both or none');
  return issuer === null || clientId === null ? undefined : { issuer, clientId };
}
