import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Within what k8s/overlays/evaluation lets webhooks reach: the receivers of the tests listen here. */
export const nodeAddress = '10.244.255.1';
export const podRange = '10.244.1.0/24';

/** Kernel settings that a kubelet sets for the whole machine. Here it finds these values, and sets nothing. */
const kernelSettings: Record<string, string> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/**
 * Prepares the namespaces that `npm run test:node` has made: an address of the node, names from CoreDNS, and folders of its own where programs insist
 * on a place. All of it goes with the namespaces. @throws Error of the command that was refused
 */
export function prepareMachine(folder: string): void {
  run('ip', 'link', 'add', 'paycode0', 'type', 'veth', 'peer', 'name', 'paycode1');
  run('ip', 'address', 'add', `${nodeAddress}/32`, 'dev', 'paycode0');
  for (const link of ['paycode0', 'paycode1']) run('ip', 'link', 'set', link, 'up');
  // Addresses of Services are translated before they leave, but need a route.
  run('ip', 'route', 'add', 'default', 'dev', 'paycode0');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  for (const place of ['/run', '/var/log', '/var/lib']) run('mount', '-t', 'tmpfs', 'tmpfs', place);
  for (const [name, value] of Object.entries(kernelSettings))
    showFile(folder, { name, text: `${value}\n`, at: `/proc/sys/${name}` });
  const names = `nameserver ${nodeAddress}\nsearch paycode.svc.cluster.local\n`;
  showFile(folder, { name: 'resolv.conf', text: names, at: '/etc/resolv.conf' });
  // Pods add the cluster's own search list to this one.
  writeFileSync(join(folder, 'pods.resolv.conf'), `nameserver ${nodeAddress}\n`);
  mkdirSync(join(folder, 'cni'), { recursive: true });
  writeFileSync(join(folder, 'cni/10-paycode.conflist'), JSON.stringify(podNetwork));
}

/** Gives the node an address that the platform takes for one of the Internet; there is no way to the real one from these namespaces. */
export function addPublicAddress(address: string): void {
  run('ip', 'address', 'add', `${address}/32`, 'dev', 'paycode0');
}

/** Each pod has a link of its own to the node, so that every packet passes the node's rules. */
const podNetwork = {
  cniVersion: '0.4.0',
  name: 'paycode',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: { type: 'host-local', ranges: [[{ subnet: podRange }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
  ],
};

function showFile(folder: string, { name, text, at }: { name: string; text: string; at: string }): void {
  const file = join(folder, name.replaceAll('/', '.'));
  writeFileSync(file, text);
  run('mount', '--bind', file, at);
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
