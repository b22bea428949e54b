{{- define "recency.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "recency.labels" -}}
app.kubernetes.io/name: recency
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* Of one process: what Deployment, Service and budget select. Takes the root and the process's name. */ -}}
{{- define "recency.selector" -}}
app.kubernetes.io/name: recency
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- /* A value as text. Helm reads numbers as floating-point ones, and toString makes 2e+06 of 2000000. */ -}}
{{- define "recency.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end -}}
{{- end }}

{{- /* The Secret of a process, and its keys: all of them, but only the API has tokens. Takes the root, the process and its name. */ -}}
{{- define "recency.secrets" -}}
{{- $own := default dict .process.secrets }}
{{- $all := eq (default "" .name) "serve" | ternary .root.Values.secrets.keys (without .root.Values.secrets.keys "TOKENS") }}
{{- dict "name" (default .root.Values.secrets.name $own.name) "keys" (default $all $own.keys) | toYaml }}
{{- end }}

{{- /* The settings of a process: those of all, its own, and the secrets as files. */ -}}
{{- define "recency.env" -}}
{{- $secrets := include "recency.secrets" . | fromYaml }}
{{- $settings := merge (dict) (default dict .fixed) (default dict .process.settings) .root.Values.settings }}
{{- range $key, $value := $settings }}
- name: RECENCY_{{ $key }}
  value: {{ include "recency.text" $value | quote }}
{{- end }}
{{- range $secrets.keys }}
- name: RECENCY_{{ . }}_FILE
  value: /etc/recency/secrets/{{ . }}
{{- end }}
{{- end }}

{{- /* Of traces: OpenTelemetry's own variables. Nothing, where no collector is named. */ -}}
{{- define "recency.tracing" -}}
{{- with .Values.tracing }}
{{- if .endpoint }}
{{- $attributes := list }}
{{- range $key, $value := .resourceAttributes }}
{{- $attributes = append $attributes (printf "%s=%s" $key (urlquery (include "recency.text" $value) | replace "+" "%20")) }}
{{- end }}
- name: OTEL_TRACES_EXPORTER
  value: otlp
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
- name: OTEL_EXPORTER_OTLP_PROTOCOL
  value: {{ .protocol }}
- name: OTEL_TRACES_SAMPLER
  value: {{ .sampler }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .ratio | toString | quote }}
{{- with $attributes }}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: {{ join "," . | quote }}
{{- end }}
{{- with .headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef: { name: {{ .name }}, key: {{ .key }} }
{{- end }}
{{- range $name, $value := .variables }}
- name: {{ $name }}
  value: {{ include "recency.text" $value | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* What every pod may reach: DNS and the stores. */ -}}
{{- define "recency.egressToStores" -}}
- ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- range .Values.networkPolicy.stores }}
- ports:
    {{- range .ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- with .to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* The port of an http or https address. */ -}}
{{- define "recency.portOf" -}}
{{- $url := urlParse . }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (eq $url.scheme "https" | ternary "443" "80") }}
{{- end }}

{{- /* What a pod has read at its start: another value of it starts the pods anew. The Secret is looked up in the cluster, if helm may. */ -}}
{{- define "recency.checksums" -}}
{{- $secrets := include "recency.secrets" . | fromYaml }}
{{- with lookup "v1" "Secret" .root.Release.Namespace $secrets.name }}
recency/checksum-of-secrets: {{ .data | toJson | sha256sum }}
{{- end }}
{{- with .process.mapping }}
recency/checksum-of-mapping: {{ sha256sum . }}
{{- end }}
{{- end }}

{{- /* The pod of a process: not root, no privileges, nothing to write to but /tmp. */ -}}
{{- define "recency.pod" -}}
{{- $secrets := include "recency.secrets" . | fromYaml }}
automountServiceAccountToken: false
enableServiceLinks: false
# So that it is not process 1, which notices no signal before it listens to them.
shareProcessNamespace: true
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  - name: secrets
    secret:
      secretName: {{ $secrets.name }}
      defaultMode: 0440
      items:
        {{- range $secrets.keys }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
  {{- with .root.Values.tls.secretName }}
  - name: tls
    secret: { secretName: {{ . }}, defaultMode: 0440 }
  {{- end }}
  {{- if .process.mapping }}
  - name: mapping
    configMap: { name: {{ include "recency.name" .root }}-capture }
  {{- end }}
containers:
  - name: recency
    image: "{{ .root.Values.image.repository }}:{{ .process.tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}"
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: {{- toYaml .args | nindent 6 }}
    env:
      {{- include "recency.env" . | nindent 6 }}
      {{- if .isTraced }}
      {{- include "recency.tracing" .root | nindent 6 }}
      {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      privileged: false
      capabilities: { drop: [ALL] }
    {{- with .process.resources }}
    resources: {{- toYaml . | nindent 6 }}
    {{- end }}
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
      - { name: secrets, mountPath: /etc/recency/secrets, readOnly: true }
      {{- if .root.Values.tls.secretName }}
      - { name: tls, mountPath: /etc/recency/tls, readOnly: true }
      {{- end }}
      {{- if .process.mapping }}
      - { name: mapping, mountPath: /etc/recency/capture, readOnly: true }
      {{- end }}
{{- end }}
