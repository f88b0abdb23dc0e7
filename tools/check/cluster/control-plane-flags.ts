import { join } from 'node:path';

/** Addresses of Services. */
export const serviceRange = '10.96.0.0/16';
/** Controllers that create pods and count the evictions that budgets permit. Nothing schedules or runs the pods. */
const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'job-controller',
  'disruption-controller',
  'serviceaccount-controller',
];

export interface PlanePorts {
  etcd: number;
  peer: number;
  api: number;
  controllers: number;
}

/** For a cluster with nodes. */
export interface PlaneSettings {
  /** As `--controllers` takes them. */
  controllers?: readonly string[];
  apiFlags?: readonly string[];
}

/** Where the programs of a control plane keep their files, and how they reach each other. */
export interface PlaneProcess {
  folder: string;
  ports: PlanePorts;
  settings: PlaneSettings;
}

export function etcdFlags({ folder, ports }: PlaneProcess): string[] {
  const { etcd, peer } = ports;
  const [client, own] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peer}`];
  const urls = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${own}`];
  const first = [`--initial-advertise-peer-urls=${own}`, `--initial-cluster=default=${own}`];
  return [`--data-dir=${join(folder, 'etcd-data')}`, '--unsafe-no-fsync', ...urls, ...first];
}

export function apiFlags({ folder, ports, settings }: PlaneProcess): string[] {
  const key = join(folder, 'service-accounts.key');
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${ports.api}`,
    `--cert-dir=${join(folder, 'pki')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.invalid',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--service-cluster-ip-range=${serviceRange}`,
    `--admission-control-config-file=${join(folder, 'admission.json')}`,
    ...(settings.apiFlags ?? []),
  ];
}

export function controllerFlags({ folder, ports, settings }: PlaneProcess): string[] {
  return [
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
    `--controllers=${(settings.controllers ?? controllers).join(',')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.controllers}`,
    `--cert-dir=${join(folder, 'controller-pki')}`,
  ];
}

const level = { enforce: 'restricted', warn: 'restricted' };
export const admission = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'PodSecurity',
      configuration: {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: { ...level, 'enforce-version': 'latest', 'warn-version': 'latest' },
      },
    },
  ],
};
