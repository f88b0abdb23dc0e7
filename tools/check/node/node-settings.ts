import { serviceRange } from '../cluster/control-plane-flags';
import { nodeAddress } from './machine-network';

export const nodeName = 'node-1';

export function containerdSettings(folder: string): string {
  const cri = `plugins."io.containerd.grpc.v1.cri"`;
  return `version = 2
root = "${folder}/containerd-root"
state = "${folder}/containerd-state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.opt"]
[grpc]
  address = "${folder}/containerd.sock"
[${cri}]
  sandbox_image = "docker.io/paycode/pause:local"
  # Lowering the score is refused to a container: "write to oom_score_adj: Permission denied".
  restrict_oom_score_adj = true
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${cri}.cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "${folder}/cni"
`;
}

export function kubeletSettings(folder: string, group: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: nodeAddress,
    // Only this namespace of the network reaches it.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${group}`,
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    oomScoreAdj: 0,
    // A kernel setting that differs is an error; the kubelet sets nothing.
    protectKernelDefaults: true,
    clusterDNS: [nodeAddress],
    clusterDomain: 'cluster.local',
    resolvConf: `${folder}/pods.resolv.conf`,
    podLogsDir: `${folder}/pod-logs`,
    evictionHard: { 'memory.available': '0%', 'nodefs.available': '0%', 'imagefs.available': '0%', 'nodefs.inodesFree': '0%' },
    imageGCHighThresholdPercent: 100,
    logging: { verbosity: 1 },
  };
}

export function proxySettings(kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig },
    mode: 'iptables',
    hostnameOverride: nodeName,
    oomScoreAdj: 0,
    // These are the whole machine's.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}

/** Of kube-router: network policies, and nothing of what kube-proxy and the plug-in of CNI do here. */
export function policyFlags(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${nodeName}`,
    '--run-firewall=true',
    '--run-router=false',
    '--run-service-proxy=false',
    '--enable-cni=false',
    `--service-cluster-ip-range=${serviceRange}`,
  ];
}
