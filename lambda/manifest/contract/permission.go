package contract

import (
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"
)

func (n needs) permissions() []Permission {
	list := []Permission{of(permission.WriteLog, ""), of(permission.SendTraces, "")}
	for _, r := range n.rights {
		list = append(list, of(r, ""))
	}
	for _, r := range permission.OfKey(n.rights...) {
		list = append(list, of(r, "data-key"))
	}
	for _, t := range n.publishes {
		if t.chosen {
			list = append(list, of(permission.Publish(t.Name), t.QueueEnv()))
		}
	}
	for _, v := range n.environment() {
		if v.Secret {
			list = append(list, Permission{permission.ReadSecrets.Actions, "secret:" + v.Name, v.Name + variable.SecretSuffix})
		}
	}
	if n.migrates {
		for _, r := range permission.OfRollout(rolledOut()) {
			list = append(list, of(r, variable.Rollout))
		}
	}
	list = append(list, of(permission.Decrypt, "key"))
	if readsPages(n) {
		list = append(list, of(permission.ReadPages, variable.OCR+"=textract"))
	}
	if n.people {
		list = append(list, of(permission.SendMail, variable.EmailFrom))
	}
	return append(list, of(permission.JoinNetwork, "network"))
}

// rolledOut names the functions that take traffic by an alias.
func rolledOut() (names []string) {
	for _, f := range manifest.Functions() {
		names = append(names, f.Name)
	}
	for _, t := range append(manifest.Tasks(), manifest.OptionalTasks()...) {
		if !t.Deploys {
			names = append(names, t.Name)
		}
	}
	return names
}

func of(r permission.Right, when string) Permission {
	return Permission{r.Actions, resource(r.On), when}
}

// resource returns the contract's word for a resource.
func resource(on permission.Resource) string {
	switch on.Kind {
	case permission.Log:
		return "logs"
	case permission.Queue:
		return "queue:" + on.Name
	case permission.DeadLetters:
		return "dead-letters:" + on.Name
	case permission.Bucket:
		return "files"
	case permission.Folder:
		return "files:" + on.Name + "*"
	case permission.Versions:
		return "versions:" + on.Name
	case permission.Rollouts:
		return "rollouts"
	case permission.Key:
		return "key"
	case permission.Sender:
		return "mail"
	}
	return "*"
}
