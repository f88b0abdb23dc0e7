import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api';
import { elapsed } from '../format';
import type { CheckedUrl } from '../portal-api';
import { Failure, Moment } from '../ui';
import { rich, t, type Text } from '../language/language';

type Probe = UseMutationResult<CheckedUrl, Error, string | undefined>;

/** One test request to a URL, or to the one that is set. */
export function useProbe(merchantId: number): Probe {
  return useMutation({
    mutationFn: (url: string | undefined) =>
      call('POST /merchants/{merchantId}/notifications/check', { path: { merchantId }, body: url ? { url } : {} }),
  });
}

const causes: Record<string, Text> = {
  NOT_ALLOWED: 'This address is not allowed: it must be https, on port 443 or 8443, at a public address.',
  NAME_NOT_FOUND: 'The name is not known in DNS. Is it spelt right?',
  NAME_SERVERS_FAILED: 'The name servers of this domain did not answer.',
  CONNECTION_REFUSED: 'Nothing listens at this address and port. Does your server run?',
  CONNECTION_CLOSED: 'Your server closed the connection without an answer.',
  CONNECT_TIMEOUT: 'No connection within the time: often a firewall that does not let us in.',
  CONNECT_FAILED: 'The address could not be reached.',
  TLS_TIMEOUT: 'The TLS handshake did not end in time.',
  CLIENT_CERTIFICATE_DEMANDED:
    'Your server demands a client certificate (mutual TLS): have ours shown below, or allow requests without one.',
  TLS_VERSION_TOO_OLD: 'Your server speaks a TLS version that is too old: it needs 1.2 or 1.3.',
  TLS_FAILED: 'The TLS handshake failed.',
  CERTIFICATE_EXPIRED: 'The certificate of your server has expired.',
  CERTIFICATE_NOT_YET_VALID: 'The certificate of your server is not valid yet.',
  CERTIFICATE_SELF_SIGNED: 'The certificate of your server is self-signed: get one of a public authority.',
  CERTIFICATE_NOT_TRUSTED:
    'The certificate chain is incomplete or of an unknown authority: serve the intermediate certificates too.',
  CERTIFICATE_NAME_MISMATCH: 'The certificate is for another name than that of the URL.',
  NO_ANSWER_IN_TIME: 'Your server took the request and did not answer in time.',
  HEADERS_TOO_LARGE: 'The header of the answer is too large.',
  ANSWER_TOO_LARGE: 'The answer is too large: an empty body is best.',
  ANSWER_NOT_HTTP: 'The server that answered does not speak HTTP.',
  POST_NOT_ACCEPTED: 'Your server does not take POST at this path.',
  STATUS_NOT_200: 'Your server answered with another status than 200.',
  OUR_FAULT: 'We could not ask: this is not a fault of your server. Try again in a moment.',
};

export function ProbeOutcome({ probe }: { probe: Probe }): ReactNode {
  if (probe.isError) return <Failure error={probe.error} />;
  return probe.data ? <Answer result={probe.data} accepted="Your server answered as it should." /> : null;
}

/** How a server answered one request, in words, and how long each step took. */
export function Answer(props: {
  result: CheckedUrl;
  accepted: Text;
  /** Accepted, and still something is wrong. */
  isDoubtful?: boolean;
  children?: ReactNode;
}): ReactNode {
  const { isAccepted, url, detail, status, timings, certificateExpiresAt } = props.result;
  const times = [
    ['Name', timings.dnsMs],
    ['Connection', timings.connectMs],
    ['TLS', timings.tlsMs],
    ['First byte', timings.firstByteMs],
    ['In all', timings.totalMs],
  ] as const satisfies (readonly [Text, number | null])[];
  return (
    <div className={`notice ${isAccepted && !props.isDoubtful ? 'good' : 'bad'}`} role="status">
      <p>
        <strong>{t(isAccepted ? props.accepted : (causes[detail ?? ''] ?? 'The check failed.'))}</strong> <code>{url}</code>
        {status !== null && ` ${t('answered HTTP {status}', { status: String(status) })}`}
      </p>
      {props.children}
      <p className="dim">
        {times.flatMap(([name, ms]) => (ms === null ? [] : [`${t(name)} ${elapsed(Math.round(ms))}`])).join(' · ')}
        {certificateExpiresAt && (
          <>
            {' · '}
            {rich('certificate until {at}', { at: <Moment at={certificateExpiresAt} /> })}
          </>
        )}
      </p>
    </div>
  );
}
