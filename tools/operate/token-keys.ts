export type TokenKeys = typeof import('../../libs/access/src/service-token/token-keys.ts');

/** Keys of service and operator tokens, for tools that run without a build: the workspace aliases do not exist there. */
export function loadTokenKeys(): Promise<TokenKeys> {
  return import('../../libs/access/src/service-token/token-keys.ts');
}
