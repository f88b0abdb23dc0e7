import { Option, type Command } from 'commander';
import type { Configuration } from 'openid-client';
import { replaceFile } from '../../../../../libs/access/src/service-token/token-keys.ts';
import { OperatorError } from '../operator-connection.ts';

const timeoutS = 10;
/** `email` names the operator in logs and records; providers put roles into the ID token of the client by themselves. */
const scope = 'openid email';

interface LoginOptions {
  issuer: string;
  clientId: string;
  file: string;
}

/** Signing in by the company's OpenID Connect provider, on the machine of the person: the pod `ops` does not reach a provider. */
export function addLoginCommand(program: Command, write: (text: string) => void): void {
  program
    .command('login')
    .description("get an operator token by the company's sign-in, in a browser on any device")
    .addOption(required('--issuer <url>', 'OpenID Connect provider').env('OPERATOR_OIDC_ISSUER'))
    .addOption(required('--client-id <id>', 'client there that may use the device flow').env('OPERATOR_OIDC_CLIENT_ID'))
    .option('--file <file>', 'where the token is put, for you alone; one file for each platform', 'operator.token')
    .action((options: LoginOptions) => login(options, write));
}

function required(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory();
}

/** The device authorization grant (RFC 8628): the provider says how often it may be asked and when the code ends. */
async function login({ issuer, clientId, file }: LoginOptions, write: (text: string) => void): Promise<void> {
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } = await import('openid-client');
  try {
    const provider = await providerAt(issuer, clientId);
    const started = await initiateDeviceAuthorization(provider, { scope });
    write(`Open ${started.verification_uri_complete ?? started.verification_uri} and confirm the code ${started.user_code}\n`);
    const tokens = await pollDeviceAuthorizationGrant(provider, started);
    const claims = tokens.claims();
    if (!tokens.id_token || !claims) throw new OperatorError(`${issuer} gave no ID token: the client needs the scope openid`);
    const name = typeof claims['email'] === 'string' ? claims['email'] : claims.sub;
    replaceFile(file, `${tokens.id_token}\n`, 0o600);
    write(`${file}: a token for ${name} until ${new Date(claims.exp * 1_000).toISOString()}\n`);
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`--issuer ${issuer} did not let you in: ${reasonOf(cause)}`, { cause });
  }
}

/** A public client: a secret on every laptop would be none. */
async function providerAt(issuer: string, clientId: string): Promise<Configuration> {
  const { allowInsecureRequests, discovery, None } = await import('openid-client');
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname);
  if (!url || !(url.protocol === 'https:' || isLocal))
    throw new OperatorError(`--issuer must begin with https://, not ${issuer}`);
  const execute = isLocal ? [allowInsecureRequests] : [];
  return discovery(url, clientId, undefined, None(), { timeout: timeoutS, execute });
}

function reasonOf(cause: unknown): string {
  const { error, error_description: description, message } = cause as Error & { error?: string; error_description?: string };
  return [error, description ?? message].filter(Boolean).join(': ');
}
