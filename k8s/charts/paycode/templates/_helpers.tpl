{{/* Image of a service by digest. Call: (list service root) */}}
{{- define "paycode.image" -}}
{{- $service := index . 0 -}}
{{- $images := (index . 1).Values.images -}}
{{- printf "%s/%s@%s" $images.registry $service (index $images.digests $service) -}}
{{- end -}}

{{/* The cell of a dispatcher or a scheduler; without further cells, and for other services, there is none. Call: (list service root) */}}
{{- define "paycode.cell" -}}
{{- $values := (index . 1).Values -}}
{{- if and $values.cells (has (index . 0) (list "webhook-dispatcher" "reversal-scheduler")) }}{{ $values.cell | default "main" }}{{ end -}}
{{- end -}}

{{/* Behind a list of names: those of the pods of further cells. */}}
{{- define "paycode.ofCells" -}}
{{- if .Values.cells }}, reversal-scheduler-cell, webhook-dispatcher-cell{{ end -}}
{{- end -}}

{{/* Settings of a service: what the chart sets, and over it what the values do. Call: (list service root) */}}
{{- define "paycode.settings" -}}
{{- $service := index . 0 -}}
{{- $root := index . 1 -}}
{{- $settings := include (printf "paycode.settings.%s" $service) $root | fromYaml -}}
{{- if $root.Values.certManager.enabled -}}
{{- $_ := set $settings "MUTUAL_TLS_CERT_FILE" "/etc/paycode/mutual-tls/tls.crt" -}}
{{- $_ := set $settings "MUTUAL_TLS_KEY_FILE" "/etc/paycode/mutual-tls/tls.key" -}}
{{- end -}}
{{- with include "paycode.cell" . }}{{ $_ := set $settings "CELL_NAME" . }}{{ end -}}
{{- with $root.Values.cell -}}
{{- range $name := list "REVERSAL_SCHEDULER_URL" "WEBHOOK_DISPATCHER_URL" -}}
{{- if hasKey $settings $name }}{{ $_ := set $settings $name (regexReplaceAll ":([0-9]+)$" (index $settings $name) (printf "-%s:${1}" $root.Values.cell)) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- /* preStop and a margin need 15 s of the grace time. */ -}}
{{- with (include "paycode.pods" . | fromYaml).terminationGracePeriodSeconds -}}
{{- $_ := set $settings "SHUTDOWN_GRACE_MS" (sub (int .) 15 | mul 1000 | toString) -}}
{{- end -}}
{{- toYaml (mergeOverwrite $settings (deepCopy (index $root.Values.settings $service))) -}}
{{- end -}}

{{/* The values for a service's pods, over those for all. Call: (list service root) */}}
{{- define "paycode.pods" -}}
{{- $pods := (index . 1).Values.pods -}}
{{- toYaml (mergeOverwrite (deepCopy $pods.all) (deepCopy (index $pods (index . 0) | default dict))) -}}
{{- end -}}

{{/* A Deployment, Job or CronJob with what the values say of its pods. Jobs take only where and as what their pods run. Call: (list service text root) */}}
{{- define "paycode.fitted" -}}
{{- $root := index . 2 -}}
{{- $tree := index . 1 | fromYaml -}}
{{- $pods := include "paycode.pods" (list (index . 0) $root) | fromYaml -}}
{{- $template := dig "jobTemplate" $tree $tree.spec | dig "spec" "template" dict -}}
{{- $pod := $template.spec -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- with index $pods $field }}{{ $_ := set $pod $field . }}{{ end -}}
{{- end -}}
{{- range $field := list "annotations" "labels" -}}
{{- with index $pods $field }}{{ $_ := set $template.metadata $field (merge (deepCopy (index $template.metadata $field | default dict)) .) }}{{ end -}}
{{- end -}}
{{- if $root.Values.openshift.enabled }}{{ $_ := set $pod "securityContext" (omit $pod.securityContext "runAsUser" "runAsGroup" "fsGroup") }}{{ end -}}
{{- if eq $tree.kind "Deployment" -}}
{{- with include "paycode.cell" (list (index . 0) $root) }}{{ $_ := set $template.metadata.labels "paycode.dev/cell" . }}{{ end -}}
{{- $container := first $pod.containers -}}
{{- range $field := list "topologySpreadConstraints" "terminationGracePeriodSeconds" -}}
{{- if hasKey $pods $field }}{{ $_ := set $pod $field (index $pods $field) }}{{ end -}}
{{- end -}}
{{- with $pods.strategy }}{{ $_ := set $tree.spec "strategy" . }}{{ end -}}
{{- with $pods.resources }}{{ $_ := set $container "resources" (mergeOverwrite $container.resources .) }}{{ end -}}
{{- with $pods.env }}{{ $_ := set $container "env" (concat $container.env .) }}{{ end -}}
{{- with $pods.volumeMounts }}{{ $_ := set $container "volumeMounts" (concat $container.volumeMounts .) }}{{ end -}}
{{- with $pods.volumes }}{{ $_ := set $pod "volumes" (concat $pod.volumes .) }}{{ end -}}
{{- with $pods.containers }}{{ $_ := set $pod "containers" (concat $pod.containers .) }}{{ end -}}
{{- if and $root.Values.certManager.enabled (ne (index . 0) "ops") -}}
{{- $secret := dict "secretName" (printf "%s-mutual-tls" (index . 0)) "defaultMode" 288 -}}
{{- $_ := set $pod "volumes" (append $pod.volumes (dict "name" "mutual-tls" "secret" $secret)) -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts (dict "name" "mutual-tls" "mountPath" "/etc/paycode/mutual-tls" "readOnly" true)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $tree -}}
{{- end -}}

{{/* Where a secret store has an entry, as JSON. Call: (list entry root) */}}
{{- define "paycode.entry" -}}
{{- $store := (index . 1).Values.secretStore -}}
{{- $entry := dict "key" (index . 0 | replace "/" $store.separator) -}}
{{- with $store.property }}{{ $_ := set $entry "property" . }}{{ end -}}
{{- toJson $entry -}}
{{- end -}}

{{/* Address ranges as a JSON list; an address is a range of one. */}}
{{- define "paycode.ranges" -}}
{{- $ranges := list -}}
{{- range . }}{{ $ranges = append $ranges (contains "/" . | ternary . (printf "%s/%s" . (contains ":" . | ternary "128" "32"))) }}{{ end -}}
{{- toJson $ranges -}}
{{- end -}}

{{/* The same as peers of a network policy. */}}
{{- define "paycode.blocks" -}}
{{- $blocks := list -}}
{{- range include "paycode.ranges" . | fromJsonArray }}{{ $blocks = append $blocks (dict "ipBlock" (dict "cidr" .)) }}{{ end -}}
{{- toJson $blocks -}}
{{- end -}}

{{/* Kubernetes refuses to change a Job, so each release has its own, and so has each change of what its pods take. Call: (list service root) */}}
{{- define "paycode.release" -}}
{{- $root := index . 1 -}}
{{- printf "v%s" ($root.Chart.AppVersion | replace "." "-") -}}
{{- with $root.Values.migrations.revision }}{{ printf "-%v" . }}{{ end -}}
{{- $fit := pick (include "paycode.pods" . | fromYaml) "nodeSelector" "tolerations" "affinity" "priorityClassName" "annotations" "labels" -}}
{{- if $root.Values.openshift.enabled }}{{ $_ := set $fit "openshift" true }}{{ end -}}
{{- with $fit }}{{ printf "-%s" (toJson . | sha256sum | trunc 8) }}{{ end -}}
{{- end -}}
