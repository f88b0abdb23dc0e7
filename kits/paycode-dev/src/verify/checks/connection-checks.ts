import type { SecureVersion } from 'node:tls';
import { Endpoint } from '../../transport/exchange';
import { inspectTls, type TlsFacts } from '../../transport/tls-inspection';
import { probeRequest } from '../../webhook/envelope';
import { type Check, fail, type Finding, mustBeAccepted, pass, skip, type Subject, warn } from '../check';

const probeMs = 10_000;
const dayMs = 86_400_000;
const expiryWarnDays = 14;
const section = 'Address and TLS';
const known = new WeakMap<Subject, Promise<TlsFacts>>();
const local = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** All of them look at one inspection. */
function factsOf(subject: Subject): Promise<TlsFacts> {
  const { url, options } = subject.endpoint;
  const facts = known.get(subject) ?? inspectTls(url, { ca: options.ca, timeoutMs: options.connectMs });
  known.set(subject, facts);
  return facts;
}

/** A check of TLS: of an http URL there is nothing to see. */
function tlsCheck(id: string, title: string, judge: (facts: TlsFacts) => Finding): Check {
  const run = async (subject: Subject): Promise<Finding> => {
    if (subject.endpoint.url.protocol !== 'https:') return skip('The URL is not https.');
    const facts = await factsOf(subject);
    return facts.handshakeError === null ? judge(facts) : fail(`TLS could not be agreed on (${facts.handshakeError}).`);
  };
  return { id, title, section, run, stopsWith: 'The platform would not connect.' };
}

function versionsFinding(versions: SecureVersion[]): Finding {
  const old = versions.filter(version => version === 'TLSv1' || version === 'TLSv1.1');
  if (old.length > 0) return warn(`The server also accepts ${old.join(' and ')}: switch them off.`);
  if (!versions.includes('TLSv1.3')) return warn('The server speaks TLS 1.2 and not 1.3, which is recommended.');
  return pass(versions.join(', '));
}

/** @param now milliseconds since 1970 */
export function expiryFinding(expiresAt: Date | null, now: number): Finding {
  if (expiresAt === null || Number.isNaN(expiresAt.getTime())) return fail('The certificate has no date of expiry.');
  const days = Math.floor((expiresAt.getTime() - now) / dayMs);
  if (expiresAt.getTime() <= now) return fail(`The certificate expired on ${expiresAt.toISOString()}.`);
  if (days < expiryWarnDays) return warn(`The certificate expires in ${days} days: renew it.`);
  return pass(`expires in ${days} days`);
}

/** The platform's rules for a URL that it stores. Here they only give warnings, because a receiver is checked before it is public. */
export function urlFinding(url: URL): Finding {
  if (local.test(url.hostname)) return pass('a local receiver; a URL in production is https on port 443 or 8443');
  if (url.protocol !== 'https:') return warn('Production takes https only; the sandbox also http on port 80 or 8080.');
  if (!['', '443', '8443'].includes(url.port)) return warn('Production takes the ports 443 and 8443 only.');
  return pass('https on a port that production takes');
}

const chain = tlsCheck('tls-chain', 'the certificate is trusted', ({ chainError }) =>
  chainError === null
    ? pass('trusted')
    : fail(`The chain is not trusted (${chainError}): does the server send its intermediate certificates?`),
);
const name = tlsCheck('tls-name', 'the certificate is for this name', ({ nameError }) =>
  nameError === null ? pass('the name fits') : fail('The certificate is for another name.'),
);
const expiry = tlsCheck('tls-expiry', 'the certificate is valid for long enough', ({ expiresAt }) =>
  expiryFinding(expiresAt, Date.now()),
);
const versions = tlsCheck('tls-versions', 'TLS 1.2 and 1.3, nothing older', facts => versionsFinding(facts.versions));

export const connectionChecks: Check[] = [
  { id: 'url', title: 'the URL is one that can be registered', section, run: ({ endpoint }) => urlFinding(endpoint.url) },
  chain,
  name,
  expiry,
  versions,
  {
    id: 'probe',
    title: 'the probe is answered',
    section: 'The probe',
    run: async ({ endpoint }) =>
      mustBeAccepted(
        await new Endpoint(endpoint.url, { ...endpoint.options, windowMs: probeMs }).post(probeRequest()),
        'The platform stores a URL only after {"result":"TEST"}, sent as application/json and not encrypted, was answered with 200.',
      ),
  },
];
