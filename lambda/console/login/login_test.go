package login

import (
	"encoding/json"
	"slices"
	"testing"

	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

var (
	tenantA = uuid.MustParse("10000000-0000-4000-8000-00000000000a")
	tenantB = uuid.MustParse("10000000-0000-4000-8000-00000000000b")
	ada     = Person{ID: "1", Name: "Ada <ada@example.com>", Roles: map[uuid.UUID]Role{tenantA: Operator, uuid.Nil: Viewer}}
)

func TestLargerRoleWins(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		roles map[uuid.UUID]Role
		want  Role
	}{
		"none":                    {nil, None},
		"of another tenant":       {map[uuid.UUID]Role{tenantB: Operator}, None},
		"of the tenant":           {map[uuid.UUID]Role{tenantA: Viewer}, Viewer},
		"of all":                  {map[uuid.UUID]Role{uuid.Nil: Operator}, Operator},
		"of all, and a larger":    {map[uuid.UUID]Role{uuid.Nil: Viewer, tenantA: Operator}, Operator},
		"of all, and a smaller":   {map[uuid.UUID]Role{uuid.Nil: Operator, tenantA: Viewer}, Operator},
		"of another, and of none": {map[uuid.UUID]Role{tenantB: Operator, tenantA: None}, None},
	} {
		if got := (Person{Roles: tc.roles}).Role(tenantA); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestTenantsWithRole(t *testing.T) {
	t.Parallel()
	p := Person{Roles: map[uuid.UUID]Role{tenantB: Viewer, tenantA: Operator, uuid.New(): None}}
	if ids, all := p.Tenants(); !slices.Equal(ids, []uuid.UUID{tenantA, tenantB}) || all {
		t.Errorf("got %v, %v", ids, all)
	}
	if ids, all := ada.Tenants(); ids != nil || !all {
		t.Errorf("of all: got %v, %v", ids, all)
	}
	if ids, all := (Person{Roles: map[uuid.UUID]Role{uuid.Nil: None}}).Tenants(); ids != nil || all {
		t.Errorf("of none: got %v, %v", ids, all)
	}
}

func TestPersonRoundTrip(t *testing.T) {
	t.Parallel()
	text := must.Get(json.Marshal(ada))(t)
	var got Person
	if err := json.Unmarshal(text, &got); err != nil || got.Name != ada.Name || got.Role(tenantA) != Operator ||
		got.Role(tenantB) != Viewer {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"Roles":{"`+tenantA.String()+`":"admin"}}`), &got); err == nil {
		t.Error("an unknown role is read")
	}
}
