// An SMSC in a process of its own: SMPP 3.4, over TLS when SMSC_TLS holds a key and a certificate, one system id, answers submit_sm with the statuses its parent asked for.
const smpp = require('smpp');

const statuses = [];
process.on('message', message => {
  statuses.push(...message.statuses);
  process.send({ isPrepared: true });
});

const tls = process.env.SMSC_TLS ? JSON.parse(process.env.SMSC_TLS) : {};
const server = smpp.createServer(tls, session => {
  session.on('error', () => session.destroy());
  session.on('bind_transceiver', pdu => {
    const isKnown = pdu.system_id === 'paycode' && pdu.password === 'smsc-pw';
    session.send(pdu.response({ command_status: isKnown ? 0 : smpp.ESME_RBINDFAIL }));
  });
  session.on('submit_sm', pdu => {
    const status = statuses.shift() ?? 0;
    if (status === 'drop') return session.destroy();
    if (status === 0)
      process.send({ to: pdu.destination_addr, from: pdu.source_addr, coding: pdu.data_coding, text: pdu.short_message.message });
    session.send(pdu.response({ command_status: status }));
  });
  session.on('enquire_link', pdu => session.send(pdu.response()));
  session.on('unbind', pdu => session.send(pdu.response()));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit(0));
