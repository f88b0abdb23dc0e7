// A service as the supervisor sees one: health on the internal listener, a lasting SIGTERM, and ways to misbehave on request.
const { existsSync } = require('node:fs');
const { createServer } = require('node:http');

if (process.env.FAKE_FAILS === 'at-start') {
  console.error('Error: FAKE_KEY is required');
  process.exit(1);
}
const server = createServer((request, response) => {
  if (request.url === '/crash') process.exit(7);
  if (request.url === '/complain')
    console.log(JSON.stringify({ level: 'error', msg: 'something is wrong', err: { code: 'EFAKE' } }));
  response.end(String(process.pid));
});
const listen = () => server.listen(Number(process.env.INTERNAL_PORT), '127.0.0.1');
/** A file without which it does not get ready. */
const needed = process.env.FAKE_NEEDS;
if (!needed) listen();
else {
  const looking = setInterval(() => {
    if (!existsSync(needed)) return;
    clearInterval(looking);
    listen();
  }, 20);
}
process.on('SIGTERM', () => {
  console.log(JSON.stringify({ level: 'info', msg: 'drained' }));
  process.exit(0);
});
