/** Explanation of a failed connection by the code of the attempt (`CONNECTION: <code>`). */
const connections: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens at this address and port: start your server, or correct the URL.',
  ECONNRESET: 'Your server closed the connection without an answer: look for a crash or a restart at that time.',
  EPIPE: 'Your server closed the connection while the notification was sent: look for a crash or a limit of the body size.',
  UND_ERR_SOCKET: 'Your server closed the connection without an answer: look for a crash or a restart at that time.',
  HTTP_408:
    'A server or proxy of yours ended an idle connection at that moment (408); the notification was sent once more on a new one.',
  ENOTFOUND: 'The host name of the URL has no address: check its spelling and its DNS entry.',
  EAI_AGAIN: 'The name servers of your domain gave no answer: ask who runs them.',
  ZONE_FAILED: 'The name servers of your domain have failed for 45 seconds: ask who runs them.',
  ETIMEDOUT: 'No connection came about in time: often a firewall that does not let our addresses in.',
  CONNECT_BUDGET: 'No connection came about in time: often a firewall that does not let our addresses in.',
  EHOSTUNREACH: 'No way leads to the address of your server: check its DNS entry and its network.',
  ENETUNREACH: 'No way leads to the address of your server: check its DNS entry and its network.',
  OUTBOUND_REFUSED: 'The address is not a public one any more: check the DNS entry of the host name.',
  CERT_HAS_EXPIRED: 'The certificate of your server has expired: renew it.',
  CERT_NOT_YET_VALID: 'The certificate of your server is not valid yet: check its dates.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of your server is self-signed: get one of a public authority.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The certificate of your server is of an authority that is not public: get one of a public authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate chain is incomplete: serve the intermediate certificates too.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate chain is incomplete: serve the intermediate certificates too.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name than that of the URL.',
  EPROTO: 'The TLS handshake failed: your server must speak TLS 1.2 or 1.3.',
};

/** Advice for the code of a failed connection; undefined: there is none for this code. */
export function connectionAdvice(outcome: string | undefined): string | undefined {
  const code = /^CONNECTION: (\w+)$/.exec(outcome ?? '')?.[1];
  return code === undefined || !Object.hasOwn(connections, code) ? undefined : connections[code];
}

const statuses: readonly (readonly [is: (status: number) => boolean, advice: string])[] = [
  [status => status >= 201 && status < 300, 'Answer exactly 200: 201, 202 and 204 do not acknowledge.'],
  [status => status >= 300 && status < 400, 'Redirects are not followed: register the address that your server redirects to.'],
  [
    status => status === 401 || status === 403,
    'Something before your program asks for a sign-in or refuses us: let this path through without one. The key authenticates a notification.',
  ],
  [
    status => status === 404 || status === 405,
    'Your server takes no POST at the path of the URL: correct the path, or deploy the handler.',
  ],
  [status => status === 413, 'Your server limits the body to less than a notification has: allow 64 kB.'],
  [status => status === 415, 'Your server refuses the type of the body: take text/plain at this path.'],
  [status => status === 429, 'Your server or what stands before it limits requests: exempt this path.'],
  [
    status => status >= 400 && status < 500,
    'A 400 often is an old key, or a body parser that expects JSON: notifications are encrypted text (text/plain).',
  ],
  [status => status >= 500, 'Your program or what stands before it failed: look into its log at the time of the attempt.'],
];

/** Advice for an HTTP status; undefined: there is none for this outcome. */
export function statusAdvice(outcome: string | undefined): string | undefined {
  const status = Number(/^HTTP (\d{3})$/.exec(outcome ?? '')?.[1]);
  return statuses.find(([is]) => is(status))?.[1];
}
