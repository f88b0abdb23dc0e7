/** A real provider of OpenID Connect (oidc-provider) as a process: `node identity-provider.mjs <redirect URI>`; writes its issuer as a line. */
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [redirectUri] = process.argv.slice(2);
const server = createServer((request, response) => void provider.callback()(request, response));
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'portal',
      client_secret: 'secret-of-the-client',
      redirect_uris: [redirectUri],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  pkce: { required: () => true },
  // Accepts every sign-in: the account is the name that was typed.
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id, email_verified: !id.startsWith('unverified') }),
  }),
  features: { devInteractions: { enabled: true } },
  cookies: { keys: ['a key of this process'] },
});
process.stdout.write(`${issuer}\n`);
