// Asks auth-session once per request and does what it says; nginx itself decides nothing. Works with njs 0.7.9 (Debian 12).
const jsonType = /^application\/json(\s*;\s*charset=("utf-8"|utf-8))?\s*;?\s*$/i;
const hopByHop = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'server',
  'x-request-id',
  'x-paycode-identity',
];

async function guard(r) {
  if (hasBody(r) && !jsonType.test(r.headersIn['Content-Type'] || ''))
    return refuse(r, 415, 'Content-Type must be application/json');
  const decision = await r.subrequest('/_paycode_authorize', { method: 'GET' });
  if (decision.status === 200) return forward(r, decision.headersOut['x-paycode-identity'] || '');
  if (decision.status === 401 || decision.status === 403 || decision.status === 404 || decision.status === 429)
    return pass(r, decision);
  return unavailable(r);
}

function hasBody(r) {
  return Number(r.headersIn['Content-Length'] || 0) > 0 || r.headersIn['Transfer-Encoding'] !== undefined;
}

function forward(r, identity) {
  if (r.variables.paycode_upstream === '') return refuse(r, 404, 'Not Found');
  r.variables.paycode_identity = identity;
  r.internalRedirect('@service');
}

// The refusal is auth-session's: status, headers and body go to the client as they are.
function pass(r, decision) {
  Object.keys(decision.headersOut).forEach(name => {
    if (hopByHop.indexOf(name.toLowerCase()) < 0) r.headersOut[name] = decision.headersOut[name];
  });
  r.return(decision.status, decision.responseText);
}

const reasons = {
  400: 'Bad Request',
  404: 'Not Found',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

function refuse(r, status, message) {
  const body = {
    timestamp: new Date().toISOString(),
    status: status,
    error: reasons[status],
    message: message,
    path: (r.variables.request_uri || '').split('?')[0],
    requestId: r.variables.paycode_request_id,
  };
  r.headersOut['Content-Type'] = 'application/json';
  r.headersOut['Cache-Control'] = 'no-store';
  if (status === 429 || status === 503) r.headersOut['Retry-After'] = '1';
  r.return(status, JSON.stringify(body));
}

function plainHttp(r) {
  refuse(r, 400, 'HTTPS is required');
}
function tooLarge(r) {
  refuse(r, 413, 'body is larger than allowed');
}
function tooMany(r) {
  refuse(r, 429, 'Too Many Requests');
}
function unavailable(r) {
  refuse(r, 503, 'the service is temporarily unavailable');
}

export default { guard, plainHttp, tooLarge, tooMany, unavailable };
