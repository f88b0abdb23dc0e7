// kubelet, kube-proxy and kube-scheduler in one program. The name of the call decides which of them runs.
package main

import (
	"context"
	"os"
	"path/filepath"

	"k8s.io/component-base/cli"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "kubelet":
		os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background())))
	case "kube-proxy":
		os.Exit(cli.Run(proxy.NewProxyCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	default:
		os.Stderr.WriteString("call this program kubelet, kube-proxy or kube-scheduler, not " + name + "\n")
		os.Exit(2)
	}
}
