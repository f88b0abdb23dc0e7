// `helm test` runs this in a pod beside the services: each must answer that it is ready, with a certificate of the platform's own authority
// (NODE_EXTRA_CA_CERTS). SERVICES: their addresses, separated by spaces; behind `=` the name in the certificate, where it is another one.
// GIVE_UP_MS: how long it asks (120,000).
const { request } = require('node:https');

const giveUpAt = Date.now() + Number(process.env.GIVE_UP_MS ?? 120_000);
const ask = (address, servername) =>
  new Promise((resolve, reject) => {
    const options = { agent: false, timeout: 5_000, ...(servername && { servername }) };
    const sent = request(`https://${address}/health/ready`, options, response => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${address} answers ${response.statusCode}`));
    });
    sent.once('error', reject).once('timeout', () => sent.destroy(new Error(`${address} does not answer`)));
    sent.end();
  });

async function untilReady(service) {
  const [address, servername] = service.split('=');
  for (;;) {
    try {
      await ask(address, servername);
      return console.log(`${address} is ready`);
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, 2_000));
  }
}

const services = (process.env.SERVICES ?? '').split(' ').filter(address => address !== '');
if (services.length === 0) throw new Error('SERVICES names no address');
Promise.all(services.map(untilReady)).catch(error => {
  console.error(error.message);
  process.exit(1);
});
