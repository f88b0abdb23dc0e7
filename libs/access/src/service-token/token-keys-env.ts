import { type MutualTlsEnv, mutualTlsFilesOf } from '@paycode/service-runtime';
import type { TokenKeyOptions } from './service-token-keys';

/** The values of `internalCallsEnv`, `baseEnv` and `mutualTlsEnv` (libs/service-runtime). */
interface InternalCallsEnv extends MutualTlsEnv {
  SERVICE_TOKEN_PRIVATE_KEY_FILE: string;
  SERVICE_TOKEN_PUBLIC_KEYS_FILE: string;
  OPERATOR_TOKEN_PUBLIC_KEYS_FILE: string;
  OPERATOR_TOKEN_REVOCATIONS_FILE: string | null;
  OPERATOR_TOKEN_LIFETIME_MAX_S: number;
  OPERATOR_OIDC_ISSUER: string | null;
  OPERATOR_OIDC_CLIENT_ID: string | null;
  PAYCODE_ENVIRONMENT: 'sandbox' | 'production';
}

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
