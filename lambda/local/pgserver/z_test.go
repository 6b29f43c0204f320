package pgserver
import ("testing";"time";"os/exec")
func TestZ(t *testing.T){ d:=t.TempDir(); _=d
 for range 5 { t0:=time.Now(); s,err:=Start(t.Context(),Options{}); if err!=nil{t.Fatal(err)}; a:=time.Since(t0); t0=time.Now(); s.Stop(); t.Log("fresh",a,"stop",time.Since(t0))}
 k,_:=exec.Command("mktemp","-d","-u","/tmp/kz-XXXXXX").Output(); dir:=string(k[:len(k)-1]); defer exec.Command("rm","-rf",dir).Run()
 for range 3 { t0:=time.Now(); s,err:=Start(t.Context(),Options{Dir:dir,Durable:true}); if err!=nil{t.Fatal(err)}; a:=time.Since(t0); t0=time.Now(); s.Stop(); t.Log("kept durable",a,"stop",time.Since(t0))}
 _,_,err:=find("/x",[]string{"/usr/pgsql-*/bin"}); t.Log(err)
}
