const comeAgainS = 2;

const texts = {
  starting: 'The portal is starting. This page comes again by itself.',
  failed: 'The portal did not start: see the terminal of npm start. This page tries again by itself.',
};

export function isOfBrowser(requestHead: string): boolean {
  return /^accept:.*text\/html/im.test(requestHead);
}

/** The answer in place of a service that does not run: a browser shows words and comes again, a program reads the error body that every other error has. */
export function absence(requestHead: string, outcome: keyof typeof texts): string {
  const isBrowser = isOfBrowser(requestHead);
  const body = isBrowser ? page(texts[outcome]) : JSON.stringify(errorBody(requestHead));
  const head = [
    'HTTP/1.1 503 Service Unavailable',
    `Content-Type: ${isBrowser ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `Retry-After: ${comeAgainS}`,
    ...(isBrowser ? [`Refresh: ${comeAgainS}`] : []),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function page(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Paycode</title><p role="status">${text}</p></html>`;
}

function errorBody(requestHead: string): object {
  const path = /^\S+ ([^\s?]+)/.exec(requestHead)?.[1] ?? '/';
  const requestId = /^x-request-id: *(\S+)/im.exec(requestHead)?.[1] ?? '';
  const message = 'Service Unavailable';
  return { timestamp: new Date().toISOString(), status: 503, error: message, message, code: 'UNAVAILABLE', path, requestId };
}
