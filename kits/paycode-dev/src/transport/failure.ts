/** Why no status came. */
export type Failure = 'NOT_CONNECTED' | 'TLS' | 'CUT' | 'NO_ANSWER' | 'NOT_HTTP';

const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EACCES']);

export function failureOf(error: Error & { code?: string }, isConnected: boolean): Failure {
  const code = error.code ?? '';
  if (code.startsWith('HPE_')) return 'NOT_HTTP';
  if (isConnected) return 'CUT';
  return neverConnected.has(code) ? 'NOT_CONNECTED' : 'TLS';
}

const sentences: Record<Failure, string> = {
  NOT_CONNECTED: 'no connection could be made',
  TLS: 'TLS could not be agreed on',
  CUT: 'the connection was cut without an answer',
  NO_ANSWER: 'no answer came in time',
  NOT_HTTP: 'what came is not HTTP/1.1',
};

export function sentenceOf(failure: Failure): string {
  return sentences[failure];
}
