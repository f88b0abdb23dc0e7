// Does what docker/compose.yaml uses of Mailpit: takes every e-mail on 1025 and shows them on 8025.
const { createServer: http } = require('node:http');
const { createServer: tcp } = require('node:net');

const keptMax = 200;
const mails = [];

tcp(socket => {
  let rest = '';
  let mail;
  const say = line => socket.write(`${line}\r\n`);
  const take = line => {
    if (mail === undefined) return command(line);
    if (line !== '.') return mail.push(line);
    mails.push(mail.join('\n'));
    mails.splice(0, Math.max(0, mails.length - keptMax));
    mail = undefined;
    say('250 taken');
  };
  const command = line => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'DATA') mail = [];
    say({ DATA: '354 go on', QUIT: '221 bye' }[verb] ?? '250 ok');
    if (verb === 'QUIT') socket.end();
  };
  socket.setEncoding('utf8').on('error', () => socket.destroy());
  socket.on('data', chunk => {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop();
    lines.forEach(take);
  });
  say('220 mail');
}).listen(1025);

http((_request, response) =>
  response.setHeader('content-type', 'text/plain; charset=utf-8').end(mails.join('\n\n---\n\n')),
).listen(8025);
