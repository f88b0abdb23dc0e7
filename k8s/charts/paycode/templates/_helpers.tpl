{{/* Image of a service by digest. Call: (list service root) */}}
{{- define "paycode.image" -}}
{{- $service := index . 0 -}}
{{- $images := (index . 1).Values.images -}}
{{- printf "%s/%s@%s" $images.registry $service (index $images.digests $service) -}}
{{- end -}}

{{/* Settings of a service: what the chart sets, and over it what the values do. Call: (list service root) */}}
{{- define "paycode.settings" -}}
{{- $service := index . 0 -}}
{{- $root := index . 1 -}}
{{- $settings := include (printf "paycode.settings.%s" $service) $root | fromYaml -}}
{{- toYaml (mergeOverwrite $settings (deepCopy (index $root.Values.settings $service))) -}}
{{- end -}}

{{/* Kubernetes refuses to change a Job, so each release has its own. */}}
{{- define "paycode.release" -}}
{{- printf "v%s" (.Chart.AppVersion | replace "." "-") -}}
{{- with .Values.migrations.revision }}{{ printf "-%v" . }}{{ end -}}
{{- end -}}
