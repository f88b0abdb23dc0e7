// Loaded before a service of the guide's test: the names of the cluster in GUIDE_NAMES are those of this machine, as its DNS would say.
const dns = require('node:dns');

const names = new Set(process.env.GUIDE_NAMES.split(','));
const { lookup } = dns;
dns.lookup = (host, ...rest) => lookup(names.has(host) ? '127.0.0.1' : host, ...rest);
