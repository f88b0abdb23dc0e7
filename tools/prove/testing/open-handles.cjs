// The handles that keep this process alive, as objects: to tell them apart, to describe them and to close them.
// Node has no documented way to the objects (process.getActiveResourcesInfo gives names only); `_getActiveHandles` is what there is.

const describedCharsMax = 120;

/** Sockets, servers, children and the like that are open and able to keep the process alive. */
function openHandles() {
  return new Set(process._getActiveHandles());
}

/** Which of Node's own classes is below: TCP, TLSWrap, Process, UDP, Pipe, TTY, MessagePort … */
function kindOf(handle) {
  if (typeof handle.bind === 'function' && typeof handle.send === 'function' && handle.type) return 'UDP'; // its _handle is deprecated
  const below = handle._handle ?? handle;
  return below?.constructor?.name ?? typeof handle;
}

/** TCP, TLS and UDP ends, and processes. Pipes and ports of workers are Node's and Jest's own business. */
const guardedKinds = new Set(['TCP', 'TLSWrap', 'UDP', 'Process']);

function isGuarded(handle) {
  return guardedKinds.has(kindOf(handle));
}

/** One line per handle, with its address, port or command where there is one. */
function describe(handle) {
  if (handle.spawnargs) return cut(`child process ${handle.pid}: ${handle.spawnargs.join(' ')}`);
  if (typeof handle.listen === 'function') return `server listening on ${addressOf(handle.address())}`;
  if (kindOf(handle) === 'UDP') return `UDP socket on ${addressOf(attempt(() => handle.address?.()))}`;
  const { local, remote } = ends(handle);
  const secured = kindOf(handle) === 'TLSWrap' ? 'TLS connection' : 'connection';
  if (remote === undefined) return `${secured}${handle.connecting ? ' not yet established' : ''} of ${local ?? 'no address'}`;
  return `${secured} ${local ?? '?'} -> ${remote}`;
}

/** Ends of a socket, or of the bare TCP handle below a TLS one. */
function ends(handle) {
  if (typeof handle.getsockname !== 'function')
    return { local: endOf(handle.localAddress, handle.localPort), remote: endOf(handle.remoteAddress, handle.remotePort) };
  const [own, peer] = [{}, {}];
  handle.getsockname(own);
  handle.getpeername(peer);
  return { local: endOf(own.address, own.port), remote: endOf(peer.address, peer.port) };
}

function endOf(address, port) {
  return address === undefined ? undefined : `${address}:${port}`;
}

function addressOf(address) {
  if (!address) return 'no address';
  return typeof address === 'string' ? address : `${address.address}:${address.port}`;
}

/** A handle that is just being closed refuses to be asked. */
function attempt(ask) {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

function cut(text) {
  return text.length > describedCharsMax ? `${text.slice(0, describedCharsMax)}…` : text;
}

/** Closes a handle by force, so that the process can end. */
function closeByForce(handle) {
  // Errors after this are ignored, because the handle has no user any more.
  handle.on?.('error', () => undefined);
  if (handle.spawnargs) handle.kill('SIGKILL');
  else if (typeof handle.listen === 'function') closeServer(handle);
  else if (typeof handle.destroy === 'function') handle.destroy();
  else attempt(() => handle.close?.());
  handle.unref?.();
}

function closeServer(server) {
  server.closeAllConnections?.();
  server.close(() => undefined);
}

module.exports = { openHandles, isGuarded, describe, closeByForce };
