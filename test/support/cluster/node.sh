#!/bin/sh
# node.sh FOLDER BINARIES: the first process of a node, in namespaces of its own (processes, mounts, network). When it is
# killed, all that runs on the node is killed, and its mounts, bridge and rules of iptables are gone. The files of the
# node are in FOLDER; the last one that is written is `network`, with the addresses.
set -eu
folder=$1 binaries=$2

# What the programs keep elsewhere must not meet that of the machine.
for each in /run /var/log /var/lib/cni /var/lib/containerd; do
  mkdir -p "$each"
  mount -t tmpfs node "$each"
done

until [ -e "$folder/network" ]; do sleep 0.05; done
read -r address gateway pods < "$folder/network"
ip link set lo up
ip address add "$address/30" dev node0
ip link set node0 up
ip route add default via "$gateway"
echo 1 > /proc/sys/net/ipv4/ip_forward

cd "$folder"
# Comes back when it is killed, as under systemd.
while :; do
  containerd -c containerd.toml >> containerd.log 2>&1 &
  echo $! > containerd.pid
  wait $! || :
done &
until [ -S /run/containerd/containerd.sock ]; do sleep 0.05; done
ctr -n k8s.io image import image.tar > import.log 2>&1
"$binaries/kubelet" --config kubelet.yaml --kubeconfig kubelet.kubeconfig --hostname-override n1 \
  --node-ip "$address" --root-dir "$folder/kubelet" --cert-dir "$folder/kubelet-pki" > kubelet.log 2>&1 &
"$binaries/kube-proxy" --kubeconfig kube-proxy.kubeconfig --hostname-override n1 --proxy-mode iptables \
  --cluster-cidr "$pods" --conntrack-max-per-core 0 --conntrack-tcp-timeout-established 0 \
  --conntrack-tcp-timeout-close-wait 0 > kube-proxy.log 2>&1 &
# Not the end of one of them: whoever waits for a node that is not ready reads the logs.
while :; do wait; sleep 1; done
