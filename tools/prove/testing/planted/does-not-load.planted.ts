import { createServer } from 'node:net';

createServer().listen(0, '127.0.0.1');
throw new Error('the planted error of loading');
