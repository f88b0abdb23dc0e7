// A service as the supervisor sees one: health on the internal listener, a lasting SIGTERM, and ways to misbehave on request.
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
server.listen(Number(process.env.INTERNAL_PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  console.log(JSON.stringify({ level: 'info', msg: 'drained' }));
  process.exit(0);
});
