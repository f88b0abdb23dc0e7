// The program that the kit's tests run, from a folder where the packed kit is installed: `vectors <file>`, `serve <adapter>` or `client`. Every kit has
// such a program.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ApiError, Client, FileStore, forExpress, forFastify, forHttp, openNotification, Receiver } from '@paycode/receiver';

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

/** Calls by lines of words (describe-client.ts), and prints a line for each. */
async function client() {
  const {
    PAYCODE_URL: url,
    PAYCODE_IDENTITY: identity,
    PAYCODE_PASSWORD: password,
    PAYCODE_LOGIN,
    PAYCODE_TIMEOUT_MS,
  } = process.env;
  const [ca, privateKey, serviceKey] = ['CA', 'PRIVATE_KEY', 'SERVICE_KEY'].map(name => read(`PAYCODE_${name}_FILE`));
  const how = { BASIC: {}, BEARER: { isBearer: true }, CHALLENGE: { privateKey, serviceKey } }[PAYCODE_LOGIN];
  const client = new Client({ url, identity, password, ca, timeoutMs: Number(PAYCODE_TIMEOUT_MS), ...how });
  const entries = list => list.map(({ type, value }) => `${type}=${value}`).join();
  let code;
  const said = ({ sessionId }) => `session ${sessionId}`;
  const calls = {
    createCode: async (merchantReference, amount, currencyCode) => {
      const created = await client.createCode({ merchantReference, amount, currencyCode });
      return `code ${(code = created.code)}`;
    },
    queryRef: async reference => {
      const { amount, status } = await client.queryRef(code, reference);
      return `reference ${amount} ${status}`;
    },
    getNotification: async id => {
      const { transactionId, status, amount } = await client.getNotification(Number(id));
      return `notification ${transactionId} ${status} ${amount}`;
    },
    notifications: async since => {
      const { notifications } = await client.notifications({ since });
      return `notifications ${notifications.map(({ transactionId }) => transactionId).join()}`;
    },
    addHttp: async (id, to) => `key ${(await client.addHttp(Number(id), to)).encryptKey}`,
    renewKey: async id => `key ${(await client.renewKey(Number(id))).encryptKey}`,
    extra: async (id, type, value) => `entries ${entries(await client.extra(Number(id), type, value))}`,
    list: async id => {
      const client = new Client({ url, identity, password, ca });
      return `entries ${entries(await client.list(Number(id)))}`;
    },
    send: async (method, path) => `text ${await client.send({ method, path })}`,
    logIn: async () => said(await client.logIn()),
    renew: async () => said(await client.renew()),
    logOut: async () => (await client.logOut(), 'logged out'),
    resume: async () => {
      await receiver.resume(id => client.getNotification(id)); // a server calls it every minute
      return 'resumed';
    },
    print: async () => `printed ${inspect({ client, session: await client.renew().catch(() => '') }, { breakLength: Infinity })}`,
  };
  for (const line of readFileSync(process.env.KIT_CALLS_FILE, 'utf8').trim().split('\n')) {
    const [call, ...words] = line.split(' ');
    say(await calls[call](...words).catch(failed));
  }
}

function failed(error) {
  if (!(error instanceof ApiError)) return `failed ${error}`;
  const { status, code, requestId } = error; // decide by the code, and give support the request id
  return `error ${status} ${code} ${requestId}`;
}

function read(name) {
  return process.env[name] && readFileSync(process.env[name], 'utf8');
}

const [command, word] = process.argv.slice(2);
await { vectors, serve, client }[command](word);
