// The program that the kit's tests run, from a folder where the packed kit is installed: `vectors <file>`, `serve <adapter>` or `login`. Every kit has
// such a program.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Client, FileStore, forExpress, forFastify, forHttp, openNotification, Receiver } from '@paycode/receiver';

const { KIT_FOLDER = '.', KIT_KEYS_FILE = '', KIT_WHEN, KIT_ANSWER_WITHIN_MS, KIT_ON_ERROR } = process.env;
const store = new FileStore(join(KIT_FOLDER, 'store'));
const say = line => process.stdout.write(`${line}\n`);

function vectors(file) {
  for (const { name, keys, body, expect } of JSON.parse(readFileSync(file, 'utf8')).vectors) {
    say(JSON.stringify({ name, ...opened(body, keys, Object.keys(expect)) }));
  }
}

function opened(body, keys, paths) {
  try {
    const notification = openNotification(Buffer.from(body), keys);
    const at = path => path.split('.').reduce((value, name) => value?.[name], notification) ?? null;
    const text = value => (value === null ? null : String(value));
    return { ...Object.fromEntries(paths.map(path => [path, text(at(path))])), result: 'OK' };
  } catch (error) {
    return { result: error.code ?? String(error) };
  }
}

function onError({ message }) {
  say(`error ${message}`);
  if (existsSync(join(KIT_FOLDER, 'fail-on-error'))) throw new Error('told to fail, too');
}

/** Keys are read at each notification, because the receiver starts before its key exists. */
const receiver = new Receiver({
  keys: () => (existsSync(KIT_KEYS_FILE) ? readFileSync(KIT_KEYS_FILE, 'utf8').split('\n') : []),
  store,
  when: KIT_WHEN,
  answerWithinMs: Number(KIT_ANSWER_WITHIN_MS),
  ...(KIT_ON_ERROR === 'DEFAULT' ? {} : { onError }),
  handler: async notification => {
    const { transactionId, status, amount, reference } = notification;
    say(`handling ${transactionId}`);
    say(`printed ${inspect({ notification })}`);
    if (reference.startsWith('fail') && existsSync(join(KIT_FOLDER, 'fail'))) throw new Error('told to fail');
    while (reference.startsWith('block') && existsSync(join(KIT_FOLDER, 'hold')))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    while (reference.startsWith('hold') && existsSync(join(KIT_FOLDER, 'hold'))) await pause(20);
    say(`handled ${transactionId} ${status} ${amount} ${reference}`);
  },
});

async function withExpress(name) {
  const { default: express } = await import(name);
  const app = express();
  app.post('/paycode', forExpress(receiver)); // above express.json(), because the kit reads the raw body itself
  app.use(express.json());
  return app.listen(0, '127.0.0.1');
}

/** The mistake that the page warns of. */
async function behindParser(name) {
  const { default: express } = await import(name);
  const app = express().use(express.json());
  app.post('/paycode', forExpress(receiver));
  return app.listen(0, '127.0.0.1');
}

const adapters = {
  http: async () => createServer(forHttp(receiver)).listen(0, '127.0.0.1'),
  express: () => withExpress('express'),
  express4: () => withExpress('express4'),
  'express, parser first': () => behindParser('express'),
  'express4, parser first': () => behindParser('express4'),
  fastify: async () => {
    const { default: fastify } = await import('fastify');
    const app = fastify();
    app.register(forFastify(receiver, '/paycode'));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

async function serve(adapter) {
  const server = await adapters[adapter]();
  if (!server.listening) await new Promise(resolve => server.once('listening', resolve));
  say(`listening ${server.address().port}`);
}

async function login() {
  const { PAYCODE_URL: url, PAYCODE_IDENTITY: identity, PAYCODE_PASSWORD: password, KIT_TRANSACTION: missed } = process.env;
  const files = ['PAYCODE_PRIVATE_KEY_FILE', 'PAYCODE_SERVICE_KEY_FILE', 'PAYCODE_CA_FILE'];
  const [privateKey, serviceKey, ca] = files.map(name => readFileSync(process.env[name], 'utf8'));
  const client = new Client({ url, identity, password, privateKey, serviceKey, ca }); // docs/how-to/log-in.md says where the keys come from
  const session = await client.logIn();
  say(`logged in ${session.sessionId}`);
  say(`printed ${inspect({ client, session }, { breakLength: Infinity })}`);
  const order = { merchantReference: 'order-17', amount: 25.5, currencyCode: 'ZAR' };
  const { status, text } = await client.send('POST', '/pluto/code/create', order);
  say(status === 200 ? `created ${JSON.parse(text).code}` : `refused with ${status}`);
  const renewed = await client.renew();
  say(`renewed ${renewed.sessionId} ${renewed.headerValue !== session.headerValue}`);
  const notification = await client.notification(Number(missed));
  say(`read ${notification.transactionId} ${notification.status} ${notification.amount}`);
  await receiver.resume(id => client.notification(id)); // a server calls it every minute
  await client.logOut();
  say('logged out');
}

const [command, word] = process.argv.slice(2);
await { vectors, serve, login }[command](word);
