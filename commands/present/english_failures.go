package present

// englishFailures says which failure it is and what to do next. {host} is the address that was asked, {detail} the error's
// own words.
func englishFailures() map[ID]string {
	return map[ID]string{
		"failure.timeout": "{host} did not answer in time. Check the route, the firewall and the proxy to it; " +
			"if the cluster is only slow, give it more than 30 s (sweep --cluster-timeout).",
		"failure.refused": "nothing listens at {host}: the connection was refused. Check that the API server runs and that the " +
			"kubeconfig's server address and port are right.",
		"failure.dns":     "the name in {host} does not resolve. Check the kubeconfig's server address, and the DNS and VPN of this machine.",
		"failure.network": "the network failed on the way to {host} ({detail}). Check the route, the firewall and the proxy to it.",

		"failure.certificate-untrusted": "{host} shows a certificate that is not signed by the authority in the kubeconfig. Put the " +
			"cluster's CA into certificate-authority-data. If the CA is right, something else answers at this address, such as a proxy.",
		"failure.certificate-expired": "the certificate of {host} expired at {at}. Renew the API server's certificate " +
			"(kubeadm certs renew, or your provider's way).",
		"failure.certificate-not-yet": "the certificate of {host} is not valid yet, or the clock of this machine is wrong. " +
			"Compare the clocks first.",
		"failure.certificate-name": "the certificate of {host} is for other names ({detail}). Use one of them as the kubeconfig's " +
			"server address, or set tls-server-name to one.",
		"failure.client-certificate": "{host} does not accept the kubeconfig's client certificate. Get a new kubeconfig.",
		"failure.client-certificate-expired": "the kubeconfig's client certificate expired at {at}. Get a new kubeconfig; " +
			"with kubeadm: kubeadm certs renew admin.conf.",
		"failure.tls": "no TLS connection to {host} ({detail}). Check that the address and port belong to the API server.",

		"failure.unauthorized": "{host} does not know the kubeconfig's credentials (401 Unauthorized). They are wrong or revoked: log in again, " +
			"or get a new token or kubeconfig.",
		"failure.token-expired": "the kubeconfig's token expired at {at} (401 Unauthorized). Get a new one: log in again, or " +
			"kubectl create token.",
		"failure.forbidden":   "the account lacks a permission ({detail}). Grant it: `stuckbot check` prints the rule to add.",
		"failure.not-found":   "{host} does not have it ({detail}).",
		"failure.overloaded":  "{host} is overloaded and turned the request away, also after retries ({detail}). Try again later.",
		"failure.expired":     "the list took so long that {host} dropped it half-way, twice. Try again when the cluster is less busy.",
		"failure.server":      "{host} answered with an error ({detail}). Look at the API server's own log.",
		"failure.malformed":   "the answer cannot be understood ({detail}).",
		"failure.not-tried":   "not tried: the time was up before its turn. Give it more time (sweep --timeout).",
		"failure.too-many":    "more than is kept ({detail}).",
		"failure.config":      "no client can be made from the kubeconfig ({detail}).",
		"failure.unknown":     "the reason is not known ({detail}).",
		"failure.server-name": "the API server",

		"guard.exec": "refused: the kubeconfig runs the command {value} to log in, and a service must not run what a kubeconfig says. " +
			"If you trust it, add it to the entry: allowCommands: [{value}]. Better: use a service account's token.",
		"guard.auth-provider": "refused: the kubeconfig logs in with the auth provider {value}, which Kubernetes has removed. " +
			"Use a service account's token or a client certificate.",
		"guard.insecure": "refused: the kubeconfig does not verify the certificate of {value} (insecure-skip-tls-verify), so anyone in " +
			"between could take its token. Put the cluster's CA into certificate-authority-data and remove the line.",
		"guard.outside-file": "refused: the kubeconfig reads {value}, which is outside its own folder. Put the content into the kubeconfig: " +
			"kubectl config view --flatten --minify --context NAME.",
	}
}
